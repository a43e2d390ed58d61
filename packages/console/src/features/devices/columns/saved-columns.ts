import { useCallback, useMemo } from 'react'
import { useViewer } from '../../user-settings/viewer.ts'

/** The console stores the user's columns in the user's attribute `$ui.devices.columns`. */
const SETTING = 'devices.columns'

interface SavedColumns {
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

/** Validates the setting, because other programs can also write it. */
function parseColumns(json: string | undefined): string[] | undefined {
  if (json === undefined) return undefined
  try {
    const found: unknown = JSON.parse(json)
    if (Array.isArray(found) && found.every((each) => typeof each === 'string')) return found
  } catch {
    // Ignore a value that is not JSON, because the console did not write it.
  }
  return undefined
}
