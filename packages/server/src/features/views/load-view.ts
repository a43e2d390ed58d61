import type { Context } from '../../context.ts'
import { loaderById } from '../../graphql/loaders.ts'
import type { View } from './view.ts'
import { listViews } from './views.ts'

const loaderOf = loaderById(
  { missing: null, cache: false },
  async (context: Context, ids) => new Map((await listViews(context, { id: ids })).map((view) => [view.id, view])),
)

/** Resolves to null if the view does not exist or the caller cannot see it. */
export const loadView = (context: Context, id: string): Promise<View | null> => loaderOf(context).load(id)
