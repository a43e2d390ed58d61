import { defineRoutes } from '../route.ts'

export const accessKeyRoutes = defineRoutes({
  'GET /access-keys': {
    summary: 'Lists access keys, newest first.',
    document: 'query listAccessKeys { login { items: accessKeys { ...AccessKey } } }',
    at: 'login',
  },
  'POST /access-keys': {
    summary:
      "Creates an access key. Only this response contains the key's secret. A key that is created with publicKey has no secret.",
    document: `mutation createAccessKey(
      $name: String, $readOnly: Boolean! = false, $requireDigest: Boolean! = false, $expires: DateTime, $publicKey: String,
      $access: AccessInput, $networks: [String!], $personal: Boolean! = false, $rateShare: Int = 100
    ) {
      createAccessKey(
        name: $name, readOnly: $readOnly, requireDigest: $requireDigest, expires: $expires, publicKey: $publicKey,
        access: $access, networks: $networks, personal: $personal, rateShare: $rateShare
      ) { ...CreatedAccessKey }
    }`,
    at: 'createAccessKey',
    location: '/access-keys/{key}',
  },
  'GET /access-keys/{key}': {
    summary: 'Returns an access key.',
    document: 'query getAccessKey { login { accessKeys { ...AccessKey } } }',
    at: 'login.accessKeys[key]',
  },
  'GET /access-keys/{key}/usage': {
    summary:
      'Returns the fields that an access key used or tried to use in the given number of days before now. Also returns the permissions that it did not use, or null if they are not known.',
    document: `query getAccessKeyUsage($key: ID!, $days: Int = 90) {
      login { accessKeys(key: [$key]) { key unused(days: $days) usage(days: $days) { ...KeyUse } } }
    }`,
    at: 'login.accessKeys[key]',
  },
  'PATCH /access-keys/{key}': {
    summary:
      'Changes an access key. Omitted fields stay unchanged. null clears name or networks. New values of access and expires can only limit the key further.',
    document: `mutation updateAccessKey(
      $key: String!, $name: String, $enabled: Boolean, $access: AccessInput, $expires: DateTime, $networks: [String!],
      $rateShare: Int
    ) {
      updateAccessKey(
        key: $key, name: $name, enabled: $enabled, access: $access, expires: $expires, networks: $networks,
        rateShare: $rateShare
      ) { ...AccessKey }
    }`,
    at: 'updateAccessKey',
  },
  'DELETE /access-keys/{key}': {
    summary: 'Deletes an access key.',
    document: 'mutation deleteAccessKey($key: String!) { deleteAccessKey(key: $key) }',
    status: 204,
  },
  'POST /access-keys/{key}/rotate': {
    summary:
      "Replaces an access key with a new key that has the same settings. The old key expires after the number of seconds in overlap, or at its current expiry if that is earlier. Only this response contains the new key's secret. A key that is created with publicKey has no secret.",
    document: `mutation rotateAccessKey($key: String!, $overlap: Int = 86400, $publicKey: String) {
      rotateAccessKey(key: $key, overlap: $overlap, publicKey: $publicKey) { ...CreatedAccessKey }
    }`,
    at: 'rotateAccessKey',
    location: '/access-keys/{key}',
  },
  'GET /key-policy': {
    summary: "Returns the account's rules for access keys, and the enabled keys that break a rule.",
    document: 'query getKeyPolicy { login { keyPolicy { ...KeyPolicy } } }',
    at: 'login.keyPolicy',
  },
  'PATCH /key-policy': {
    summary:
      "Changes the account's rules for access keys. Omitted fields stay unchanged. null clears maxDays or enforcedFrom.",
    document: `mutation setKeyPolicy(
      $maxDays: Int, $personalKeys: Boolean, $requireDigest: Boolean, $requireNetworks: Boolean, $enforcedFrom: DateTime
    ) {
      setKeyPolicy(
        maxDays: $maxDays, personalKeys: $personalKeys, requireDigest: $requireDigest, requireNetworks: $requireNetworks,
        enforcedFrom: $enforcedFrom
      ) { ...KeyPolicyRules }
    }`,
    at: 'setKeyPolicy',
  },
  'GET /needs': {
    summary: 'Returns the permissions that a GraphQL document needs. The server does not run the document.',
    document: `query listNeeds($document: String!, $operationName: String, $variables: Object) {
      login { items: needs(document: $document, operationName: $operationName, variables: $variables) { ...Need } }
    }`,
    at: 'login',
  },
  'GET /simulate': {
    summary:
      'Returns what a key, a person, a role, or a new key could do now, with the reason for each denial. Pass exactly one of key, personId, roleId, and access. The server does not run the given document.',
    document: `query simulate(
      $key: ID, $personId: ID, $roleId: ID, $access: AccessInput, $address: String, $document: String, $variables: Object,
      $deviceId: String, $attribute: String
    ) {
      login {
        simulate(
          key: $key, personId: $personId, roleId: $roleId, access: $access, address: $address, document: $document,
          variables: $variables, deviceId: $deviceId, attribute: $attribute
        ) { ...Simulation }
      }
    }`,
    at: 'login.simulate',
  },
})
