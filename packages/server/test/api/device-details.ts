import type { TestUser } from '../harness/app.ts'

export async function findDevice(owner: TestUser, id: string) {
  const { login } = await owner.data(
    `query ($id: [String!]!) { login { device(id: $id) {
       state online stateSince lastReported attributes
       services { id name application port state online lastReported attributes }
       events(types: [DEVICE_STATE, SERVICE_STATE, ATTRIBUTE_CHANGE, SERVICE_ADD, SERVICE_UPDATE, SERVICE_REMOVE]) {
         items { type state actor { id } target { id kind } data } } } } }`,
    { id: [id] },
  )
  return login.device[0]
}
