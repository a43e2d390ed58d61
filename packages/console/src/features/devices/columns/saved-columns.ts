import { useCallback, useMemo } from 'react'
import { useViewer } from '../../user-settings/viewer.ts'

/** The user's saved columns are in `$ui.devices.columns` on the server. */
const SETTING = 'devices.columns'

interface SavedColumns {
  /** Undefined if the user saved none. */
  columns: readonly string[] | undefined
  save(columns: readonly string[]): Promise<void>
}

export function useSavedColumns(): SavedColumns {
  const { settings, setSetting } = useViewer()
  const json = settings[SETTING]
  const columns = useMemo(() => parseColumns(json), [json])
  const save = useCallback((next: readonly string[]) => setSetting(SETTING, JSON.stringify(next)), [setSetting])
  return { columns, save }
}

/** The setting can have any value, because other programs can write it. */
function parseColumns(json: string | undefined): string[] | undefined {
  if (json === undefined) return undefined
  try {
    const found: unknown = JSON.parse(json)
    if (Array.isArray(found) && found.every((each) => typeof each === 'string')) return found
  } catch {
    // The console did not write this value.
  }
  return undefined
}
