import type { Route } from '../route.ts'

export const accessKeyRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/access-keys',
    summary: 'Lists access keys, newest first.',
    document: 'query listAccessKeys { login { items: accessKeys { ...AccessKey } } }',
    at: 'login',
    status: 200,
  },
  {
    method: 'POST',
    path: '/access-keys',
    summary: 'Creates an access key. Only this response contains the secret, which keys with publicKey do not have.',
    document: `mutation createAccessKey(
      $name: String, $readOnly: Boolean! = false, $requireDigest: Boolean! = false, $expires: DateTime, $publicKey: String
    ) {
      createAccessKey(
        name: $name, readOnly: $readOnly, requireDigest: $requireDigest, expires: $expires, publicKey: $publicKey
      ) { ...CreatedAccessKey }
    }`,
    at: 'createAccessKey',
    status: 201,
    location: '/access-keys/{key}',
  },
  {
    method: 'GET',
    path: '/access-keys/{key}',
    summary: 'Returns an access key.',
    document: 'query getAccessKey { login { accessKeys { ...AccessKey } } }',
    at: 'login.accessKeys[key]',
    status: 200,
  },
  {
    method: 'PATCH',
    path: '/access-keys/{key}',
    summary: 'Changes an access key. Omitted members stay unchanged. null clears name.',
    document: `mutation updateAccessKey($key: String!, $name: String, $enabled: Boolean) {
      updateAccessKey(key: $key, name: $name, enabled: $enabled) { ...AccessKey }
    }`,
    at: 'updateAccessKey',
    status: 200,
  },
  {
    method: 'DELETE',
    path: '/access-keys/{key}',
    summary: 'Deletes an access key.',
    document: 'mutation deleteAccessKey($key: String!) { deleteAccessKey(key: $key) }',
    status: 204,
  },
]
