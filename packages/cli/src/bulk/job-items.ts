import { LimitExceededError, type Muster, type Selected } from '@muster/client'
import type { Column } from '../output/column.ts'
import type { Page } from '../server/pages.ts'

const itemFields = {
  device: { id: true, name: true },
  outcome: true,
  status: true,
  changes: true,
  reason: true,
  code: true,
  message: true,
} as const

export type ItemRow = Selected<'BulkItem', typeof itemFields>

export const itemColumns: readonly Column<ItemRow>[] = [
  { name: 'device', value: ({ device }) => device.id, truncated: 'first' },
  { name: 'name', value: ({ device }) => device.name, truncated: 'last' },
  { name: 'outcome', value: ({ outcome }) => outcome },
  { name: 'status', value: ({ status }) => status },
  { name: 'reason', value: ({ reason }) => reason },
  { name: 'code', value: ({ code }) => code },
  { name: 'message', value: ({ message }) => message, truncated: 'last' },
  { name: 'changes', value: ({ changes }) => JSON.stringify(changes), truncated: 'last' },
]

export const itemStatuses = ['PENDING', 'DONE', 'UNCHANGED', 'SKIPPED', 'FAILED'] as const

type Statuses = readonly (typeof itemStatuses)[number][] | undefined

/** Yields a job's items, and reads them in pages. If a page is too large for a response, reads smaller pages. */
export async function* itemsOf(muster: Muster, id: string, status: Statuses): AsyncGenerator<ItemRow> {
  let size = 1_000
  let after: string | null = null
  for (;;) {
    const page: Page<ItemRow> | 'too large' | undefined = await readItems(muster, id, { size, after, status }).catch(
      (error: unknown) => {
        if (size > 1 && error instanceof LimitExceededError) return 'too large' as const
        throw error
      },
    )
    if (page === undefined) return
    if (page === 'too large') {
      size = Math.ceil(size / 2)
      continue
    }
    yield* page.items
    if (!page.hasMore) return
    after = page.cursor
  }
}

interface ItemPage {
  size: number
  after?: string | null
  status?: Statuses
  outcome?: readonly ('CHANGE' | 'REGISTER')[]
}

export async function readItems(muster: Muster, id: string, page: ItemPage): Promise<Page<ItemRow> | undefined> {
  const { login } = await muster.select({
    login: {
      bulkJob: {
        $: { id: [id] },
        items: { $: page, items: itemFields, hasMore: true, cursor: true },
      },
    },
  })
  return login?.bulkJob[0]?.items
}
