import { consequencesOf } from '../../auth/key-policy-rules.ts'
import { isSignInStale } from '../../auth/rejected-key.ts'
import { schemaPart } from '../../graphql/assemble.ts'
import { done } from '../../graphql/done.ts'
import { namesIn } from '../../permissions.ts'
import { describeSource } from '../events/event-source.ts'
import { readOwnRestriction, shownRestriction } from '../restrictions/own-restriction.ts'
import { findActor } from '../users/people/find-actor.ts'
import { loadView } from '../views/load-view.ts'
import { createAccessKey, deleteAccessKey, listAccessKeys, rotateAccessKey, updateAccessKey } from './access-keys.ts'
import { readNeeds } from './document-permissions.ts'
import { getKeyPolicy, listViolations, setKeyPolicy } from './key-policy.ts'
import { listUnused, listUsage } from './key-usage.ts'

const DAY_SECONDS = 86_400

export const accessKeysPart = schemaPart(new URL('./access-keys.graphql', import.meta.url), {
  User: {
    accessKeys: (_user, { key }, context) => listAccessKeys(context, key ?? undefined),
    needs: (_user, input, context) => [...readNeeds(context, input).all],
    keyPolicy: (_user, _arguments, context) => getKeyPolicy(context),
  },
  AccessKey: {
    permissions: ({ permissions }) => namesIn(permissions),
    attributes: (key) => shownRestriction(key).attributes ?? null,
    where: (key) => shownRestriction(key).where ?? null,
    view: ({ own }, _arguments, context) => (own.view === undefined ? null : loadView(context, own.view)),
    context: ({ own }) => own.context ?? null,
    async suspended(key, _arguments, context) {
      if (key.isWithoutMember) return 'member'
      if (isSignInStale(key.lastSignIn, { now: context.clock(), staleMs: context.staleMs })) return 'stale'
      const { suspendedFrom } = consequencesOf(await getKeyPolicy(context), key)
      return suspendedFrom !== undefined && suspendedFrom <= context.clock() ? 'policy' : null
    },
    usage: (key, { days }, context) => listUsage(context, key, days ?? undefined),
    unused: (key, { days }, context) => listUnused(context, key, days ?? undefined),
    createdBy: async ({ source, madeBy }, _arguments, context) =>
      source && describeSource({ source, deviceId: null, targets: [] }, await findActor(context, madeBy)),
  },
  KeyPolicy: { violations: (policy, _arguments, context) => listViolations(context, policy) },
  Mutation: {
    createAccessKey: async (_parent, input, context) =>
      createAccessKey(context, { ...input, own: await readOwnRestriction(context, input.access ?? {}, 'accessKey') }),
    updateAccessKey: async (_parent, { key, ...change }, context) =>
      updateAccessKey(context, key, {
        ...change,
        own: await readOwnRestriction(context, change.access ?? {}, 'accessKey'),
      }),
    rotateAccessKey: (_parent, { key, overlap, publicKey }, context) =>
      rotateAccessKey(context, { key, overlap: overlap ?? DAY_SECONDS, publicKey: publicKey ?? null }),
    setKeyPolicy: (_parent, change, context) => setKeyPolicy(context, change),
    deleteAccessKey: (_parent, { key }, context) => done(deleteAccessKey(context, key)),
  },
})
