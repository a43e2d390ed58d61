import { exportDevices } from '@muster/fleet-csv/export-devices'
import { useEffect, useRef, useState } from 'react'
import type { SelectedDevices } from '../bulk/selected-devices.ts'
import type { Column } from '../columns.ts'
import { sourceOf } from './devices-to-export.ts'
import { saveCsv } from './save-file.ts'
import { sessionApi } from './session-api.ts'
import { exportShownColumns } from './shown-columns.ts'

/** `shown`: the list's columns, for people. `all`: everything, to import again. */
export type ExportForm = 'shown' | 'all'

/** What the list shows, and in which order. */
export interface ShownList {
  columns: readonly Column[]
  sort: string
}

export type ExportState =
  | { step: 'ready'; error?: unknown; isStopped?: boolean }
  | { step: 'running'; devices: number }
  | { step: 'ended'; devices: number; name: string }

interface Export {
  state: ExportState
  run(form: ExportForm): Promise<void>
  stop(): void
}

/** An export under way. Nothing is saved of one that was stopped or failed; leaving the page stops it. */
export function useExport(devices: SelectedDevices, { columns, sort }: ShownList): Export {
  const [state, setState] = useState<ExportState>({ step: 'ready' })
  const stopping = useRef<AbortController | null>(null)
  useEffect(() => () => stopping.current?.abort(), [])
  return {
    state,
    async run(form) {
      const controller = new AbortController()
      const { signal } = controller
      stopping.current = controller
      const parts: string[] = []
      let count = 0
      const write = (text: string, more: number): void => {
        parts.push(text)
        count += more
        setState({ step: 'running', devices: count })
      }
      setState({ step: 'running', devices: 0 })
      const source = sourceOf(devices)
      try {
        if (form === 'all') {
          await exportDevices(sessionApi, { lists: source.lists, isWanted: source.isWanted, write, signal })
        } else {
          const { context } = devices.filter
          await exportShownColumns(sessionApi, { source, columns, sort, context, write, signal })
        }
        signal.throwIfAborted()
        const name = `devices-${new Date().toISOString().slice(0, 10)}.csv`
        saveCsv(name, parts)
        setState({ step: 'ended', devices: count, name })
      } catch (error) {
        setState(signal.aborted ? { step: 'ready', isStopped: true } : { step: 'ready', error: error })
      }
    },
    stop: () => stopping.current?.abort(),
  }
}
