import { type Call, literal, notFound } from './call.ts'

const updateKey = (key: string): string => `mutation { updateAccessKey(key: ${literal(key)}, enabled: false) { key } }`
const keyOf = (view: string): string =>
  `mutation { createAccessKey(access: { view: ${literal(view)} }) { key secret } }`
const restrictKey = (key: string, view: string): string =>
  `mutation { updateAccessKey(key: ${literal(key)}, access: { view: ${literal(view)} }) { key } }`
const rotateKey = (key: string): string =>
  `mutation { rotateAccessKey(key: ${literal(key)}) { key accessKey { replacedBy } } }`

/** The mutations of access keys. */
export const keyMutationCalls: Record<string, Call> = {
  'Mutation.createAccessKey': {
    plain: () => 'mutation { createAccessKey(name: "x") { key secret } }',
    naming: { 'access.view': notFound(({ view }) => keyOf(view)) },
    others: [
      ...['name', 'readOnly', 'requireDigest', 'expires', 'publicKey'],
      ...[
        'access.permissions',
        'access.where',
        'access.context',
        'access.attributes',
        'networks',
        'personal',
        'rateShare',
      ],
    ],
  },
  'Mutation.updateAccessKey': {
    plain: ({ accessKey }) => updateKey(accessKey),
    naming: {
      key: notFound(({ accessKey }) => updateKey(accessKey)),
      'access.view': notFound(({ view }, { accessKey }) => restrictKey(accessKey, view)),
    },
    others: [
      'name',
      'enabled',
      'access.permissions',
      'access.attributes',
      'access.where',
      'access.context',
      'expires',
      'networks',
      'rateShare',
    ],
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
    plain: () => 'mutation { setKeyPolicy(enforcedFrom: null) { enforcedFrom } }',
    others: ['maxDays', 'personalKeys', 'requireDigest', 'requireNetworks', 'enforcedFrom'],
  },
}
