import { exportDevices } from '@muster/fleet-csv/export-devices'
import { useEffect, useRef, useState } from 'react'
import { downloadCsv } from '../../../components/download.ts'
import type { SelectedDevices } from '../bulk/selected-devices.ts'
import type { Column } from '../columns/columns.ts'
import { exportSourceOf } from './export-source.ts'
import { sessionApi } from './session-api.ts'
import { exportShownColumns } from './shown-columns.ts'

/** `shown` exports the list's columns. `all` exports all data, in the format for imports. */
export type ExportForm = 'shown' | 'all'

export interface ShownList {
  columns: readonly Column[]
  sortBy: string[]
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

/**
 * Exports devices to a CSV file. Saves no file if the export fails, or if the user stops the export or leaves the page.
 */
export function useExport(devices: SelectedDevices, { columns, sortBy }: ShownList): Export {
  const [state, setState] = useState<ExportState>({ step: 'ready' })
  const abortController = useRef<AbortController | null>(null)
  useEffect(() => () => abortController.current?.abort(), [])
  return {
    state,
    async run(form) {
      const controller = new AbortController()
      const { signal } = controller
      abortController.current = controller
      const parts: string[] = []
      let count = 0
      const write = (text: string, more: number): void => {
        parts.push(text)
        count += more
        setState({ step: 'running', devices: count })
      }
      setState({ step: 'running', devices: 0 })
      const source = exportSourceOf(devices)
      try {
        if (form === 'all') {
          await exportDevices(sessionApi, { lists: source.filters, isWanted: source.isIncluded, write, signal })
        } else {
          const { context } = devices.filter
          await exportShownColumns(sessionApi, { source, columns, sortBy, context, write, signal })
        }
        signal.throwIfAborted()
        const name = `devices-${new Date().toISOString().slice(0, 10)}.csv`
        downloadCsv(name, parts)
        setState({ step: 'ended', devices: count, name })
      } catch (error) {
        setState(signal.aborted ? { step: 'ready', isStopped: true } : { step: 'ready', error })
      }
    },
    stop: () => abortController.current?.abort(),
  }
}
