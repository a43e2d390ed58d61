import { type Call, literal, notFound } from './call.ts'

const updateKey = (key: string): string => `mutation { updateAccessKey(key: ${literal(key)}, enabled: false) { key } }`
const rotateKey = (key: string): string =>
  `mutation { rotateAccessKey(key: ${literal(key)}) { key accessKey { replacedBy } } }`

/** The mutations of access keys. */
export const keyMutationCalls: Record<string, Call> = {
  'Mutation.createAccessKey': {
    plain: () => 'mutation { createAccessKey(name: "x") { key secret } }',
    others: [
      ...['name', 'readOnly', 'requireDigest', 'expires', 'publicKey'],
      ...['access.permissions', 'networks', 'personal', 'rateShare'],
    ],
  },
  'Mutation.updateAccessKey': {
    plain: ({ accessKey }) => updateKey(accessKey),
    naming: { key: notFound(({ accessKey }) => updateKey(accessKey)) },
    others: ['name', 'enabled', 'access.permissions', 'expires', 'networks', 'rateShare'],
  },
  'Mutation.deleteAccessKey': {
    plain: ({ accessKey }) => `mutation { deleteAccessKey(key: ${literal(accessKey)}) }`,
    naming: { key: notFound(({ accessKey }) => `mutation { deleteAccessKey(key: ${literal(accessKey)}) }`) },
  },
  'Mutation.rotateAccessKey': {
    plain: ({ accessKey }) => rotateKey(accessKey),
    naming: { key: notFound(({ accessKey }) => rotateKey(accessKey)) },
    others: ['overlap', 'publicKey'],
  },
  'Mutation.setKeyPolicy': {
    plain: () => 'mutation { setKeyPolicy(enforcedFrom: null) { enforcedFrom violations { key } } }',
    others: ['maxDays', 'personalKeys', 'requireDigest', 'requireNetworks', 'enforcedFrom'],
  },
}
