import DataLoader from 'dataloader'
import type { Context } from '../../context.ts'
import { perRequest } from '../../graphql/per-request.ts'
import type { View } from './view.ts'
import { listViews } from './views.ts'

const loaderOf = perRequest(
  (context: Context) =>
    new DataLoader<string, View | null>(
      async (ids) => {
        const views = new Map((await listViews(context, { id: ids })).map((view) => [view.id, view]))
        return ids.map((id) => views.get(id) ?? null)
      },
      { cache: false },
    ),
)

/** Resolves to null if the view does not exist or the caller cannot see it. */
export const loadView = (context: Context, id: string): Promise<View | null> => loaderOf(context).load(id)
