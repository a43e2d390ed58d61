import { attempt, type Call, literal, notFound, ofWrongKind, user } from './call.ts'

const updateKey = (key: string): string => `mutation { updateAccessKey(key: ${literal(key)}, enabled: false) { key } }`
const keyOf = (view: string): string =>
  `mutation { createAccessKey(access: { view: ${literal(view)} }) { key secret } }`
const restrictKey = (key: string, view: string): string =>
  `mutation { updateAccessKey(key: ${literal(key)}, access: { view: ${literal(view)} }) { key } }`
const rotateKey = (key: string): string =>
  `mutation { rotateAccessKey(key: ${literal(key)}) { key accessKey { replacedBy } } }`

export const keyQueryCalls: Record<string, Call> = {
  'User.needs': {
    plain: user('needs(document: "{ login { id } }") { field permission }'),
    others: ['document', 'operationName', 'variables'],
  },
  'User.simulate': {
    plain: user(
      'simulate(access: {}, document: "{ login { id } }") { allowed devices permissions { granted } reasons }',
    ),
    naming: {
      key: [
        notFound(({ accessKey }) => `{ login { simulate(key: ${literal(accessKey)}) { allowed devices reasons } } }`),
        ofWrongKind(({ webhook }) => `{ login { simulate(key: ${literal(webhook)}) { allowed devices reasons } } }`),
      ],
      'access.view': notFound(({ view }) => `{ login { simulate(access: { view: ${literal(view)} }) { devices } } }`),
      'access.where': attempt({ finds: { login: { simulate: { devices: 0 } } } }, ({ device }) => {
        return `{ login { simulate(access: { where: ${literal(`id = ${device}`)} }) { devices } } }`
      }),
      deviceId: attempt(
        { finds: { login: { simulate: { deviceReachable: false } } } },
        ({ device }) => `{ login { simulate(access: {}, deviceId: ${literal(device)}) { deviceReachable } } }`,
      ),
    },
    others: [
      ...['personId', 'roleId', 'address', 'document', 'variables', 'attribute'],
      ...['access.attributes', 'access.context', 'access.permissions'],
    ],
  },
  'User.keyPolicy': { plain: user('keyPolicy { maxDays violations { key } }') },
  'User.accessKeys': {
    plain: user('accessKeys { key name lastUsed }'),
    naming: {
      key: attempt(
        { finds: { login: { accessKeys: [] } } },
        ({ accessKey }) => `{ login { accessKeys(key: [${literal(accessKey)}]) { key name usage { field } } } }`,
      ),
    },
  },
  'AccessKey.usage': {
    plain: ({ accessKey }) => `{ login { accessKeys(key: [${literal(accessKey)}]) { usage { field } } } }`,
    others: ['days'],
  },
  'AccessKey.unused': {
    plain: ({ accessKey }) => `{ login { accessKeys(key: [${literal(accessKey)}]) { unused } } }`,
    others: ['days'],
  },
}

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
