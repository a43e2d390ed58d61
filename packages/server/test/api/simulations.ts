import type { Json, Sender } from '../factories/keys.ts'

const fields =
  '{ allowed deviceReachable attributeReadable attributeWritable devices permissions { permission granted deniedBy } reasons warnings }'

export const simulate = async (send: Sender, args: string): Promise<Json> => {
  const { data, errors } = await send(`{ login { simulate(${args}) ${fields} } }`)
  if (errors !== undefined) throw new Error(`The server rejected simulate(${args}): ${JSON.stringify(errors)}`)
  return data.login.simulate
}

export const granted = ({ permissions }: Json): string[] =>
  permissions.filter((each: Json) => each.granted).map(({ permission }: Json) => permission)

export const denied = ({ permissions }: Json): Record<string, string> =>
  Object.fromEntries(
    permissions.filter((each: Json) => !each.granted).map(({ permission, deniedBy }: Json) => [permission, deniedBy]),
  )
