import { useCallback, useMemo } from 'react'
import { useViewer } from '../user-settings/viewer.ts'
import { defaultColumns } from './columns.ts'

/** The person's own choice of columns, kept in `$ui.devices.columns` on the server. */
const SETTING = 'devices.columns'

interface KeptColumns {
  columns: readonly string[]
  keep(columns: readonly string[]): Promise<void>
}

export function useKeptColumns(): KeptColumns {
  const { settings, setSetting } = useViewer()
  const text = settings[SETTING]
  const columns = useMemo(() => read(text) ?? defaultColumns, [text])
  const keep = useCallback((next: readonly string[]) => setSetting(SETTING, JSON.stringify(next)), [setSetting])
  return { columns, keep }
}

/** Anything may stand there: another program can write it. */
function read(text: string | undefined): string[] | undefined {
  if (text === undefined) return undefined
  try {
    const found: unknown = JSON.parse(text)
    if (Array.isArray(found) && found.every((each) => typeof each === 'string')) return found
  } catch {
    // Not ours.
  }
  return undefined
}
