import { schemaPart } from '../../graphql/assemble.ts'
import { done } from '../../graphql/done.ts'
import { describeSource } from '../events/event-source.ts'
import { check, toFilterProblem } from '../filters/read-filter.ts'
import { findActor } from '../users/people/find-actor.ts'
import { loadUsedBy } from './used-by.ts'
import { filterKinds } from './view.ts'
import { createView, deleteView, listViews, updateView } from './views.ts'

export const viewsPart = schemaPart(new URL('./views.graphql', import.meta.url), {
  User: {
    views: (_user, args, context) => listViews(context, args),
  },
  View: {
    createdBy: async ({ source, creatorId }, _args, context) => {
      const creator = await findActor(context, creatorId ?? context.viewer.accountId)
      return describeSource({ source, deviceId: null, targets: [] }, creator)
    },
    usedBy: ({ id }, _args, context) => loadUsedBy(context, id),
    problems({ where, kind }) {
      if (where === null) return []
      const place = { kind: filterKinds[kind], path: 'where' }
      return check(where, place, { maxLength: Number.POSITIVE_INFINITY }).problems.map(toFilterProblem)
    },
  },
  Mutation: {
    createView: (_root, args, context) => createView(context, args),
    updateView: (_root, args, context) => updateView(context, args),
    deleteView: (_root, args, context) => done(deleteView(context, args)),
  },
})
