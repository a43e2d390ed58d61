import { defineRoutes } from '../route.ts'

export const registrationCodeRoutes = defineRoutes({
  'GET /registration-codes': {
    summary:
      'Lists registration codes, newest first, including used-up codes and codes that expired in the last seven days.',
    document: 'query listRegistrationCodes { login { items: registrationCodes { ...RegistrationCode } } }',
    at: 'login',
  },
  'POST /registration-codes': {
    summary: 'Creates a registration code for devices. Only this response contains the code.',
    document: `mutation createRegistrationCode(
      $name: String, $platform: String, $services: [ServiceInput!], $attributes: Object, $uses: Int = 1, $expires: DateTime
    ) {
      createRegistrationCode(
        name: $name, platform: $platform, services: $services, attributes: $attributes, uses: $uses, expires: $expires
      ) { ...CreatedRegistrationCode }
    }`,
    at: 'createRegistrationCode',
    location: '/registration-codes/{registrationCode.id}',
  },
  'GET /registration-codes/{id}': {
    summary: 'Returns a registration code.',
    document: 'query getRegistrationCode { login { registrationCodes { ...RegistrationCode } } }',
    at: 'login.registrationCodes[id]',
  },
  'DELETE /registration-codes/{id}': {
    summary: 'Deletes a registration code.',
    document: 'mutation deleteRegistrationCode($id: ID!) { deleteRegistrationCode(id: $id) }',
    status: 204,
  },
})
