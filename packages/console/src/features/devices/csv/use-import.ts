import { FileError } from '@muster/fleet-csv/csv/file-error'
import { type DeviceFile, readDeviceFile } from '@muster/fleet-csv/csv/read-file'
import { writePlan } from '@muster/fleet-csv/import/job-or-requests'
import type { Outcome } from '@muster/fleet-csv/import/outcome'
import { type ImportPlan, prepareImport } from '@muster/fleet-csv/import/prepare-import'
import { finishEarlierJob, jobNameOf } from '@muster/fleet-csv/import/run-job'
import { useEffect, useRef, useState } from 'react'
import { sessionApi } from './session-api.ts'

export interface PreparedImport {
  name: string
  jobName: string
  file: DeviceFile
  plan: ImportPlan
}

export type ImportState =
  | { step: 'choose'; error?: unknown }
  | { step: 'reading'; name: string; devices: number }
  | { step: 'preview'; prepared: PreparedImport }
  | { step: 'running'; prepared: PreparedImport; outcome: Outcome; isStopping: boolean }
  | { step: 'ended'; prepared: PreparedImport; outcome: Outcome }

interface Import {
  state: ImportState
  read(file: File): Promise<void>
  run(prepared: PreparedImport): Promise<void>
  stop(): void
  reset(): void
}

/** If the user opens another page of the console, a running import continues, but reading a file stops. */
export function useImport(): Import {
  const [state, setState] = useState<ImportState>({ step: 'choose' })
  const abortController = useRef<AbortController | null>(null)
  const isWriting = useRef(false)
  useEffect(() => () => void (isWriting.current || abortController.current?.abort()), [])
  const begin = (): AbortSignal => {
    abortController.current?.abort()
    abortController.current = new AbortController()
    return abortController.current.signal
  }
  return {
    state,
    async read(chosen) {
      const signal = begin()
      const show = (devices: number): void => setState({ step: 'reading', name: chosen.name, devices })
      show(0)
      // Update the state only every 1,000 devices, because each update slows down reading.
      const onRead = (devices: number): void => void (devices % 1000 === 0 && show(devices))
      try {
        const bytes = new Uint8Array(await chosen.arrayBuffer())
        const file = readDeviceFile(bytes)
        const jobName = jobNameOf(chosen.name, bytes)
        await finishEarlierJob(sessionApi, jobName, { signal })
        const plan = await prepareImport(sessionApi, file, { signal, onRead })
        if (!signal.aborted) setState({ step: 'preview', prepared: { name: chosen.name, jobName, file, plan } })
      } catch (error) {
        if (!signal.aborted) setState({ step: 'choose', error: readError(error) })
      }
    },
    async run(prepared) {
      const signal = begin()
      const outcome = initialOutcome(prepared)
      const progress = (): void =>
        setState({ step: 'running', prepared, outcome: { ...outcome }, isStopping: signal.aborted })
      progress()
      isWriting.current = true
      const { jobName, plan } = prepared
      try {
        await writePlan({ api: sessionApi, outcome, progress, signal, jobName, strict: false }, plan)
      } catch (error) {
        outcome.stoppedBy = error as Error
      }
      isWriting.current = false
      setState({ step: 'ended', prepared, outcome })
    },
    stop() {
      abortController.current?.abort()
      setState((before) => (before.step === 'running' ? { ...before, isStopping: true } : before))
    },
    reset() {
      abortController.current?.abort()
      setState({ step: 'choose' })
    },
  }
}

const initialOutcome = ({ file, plan }: PreparedImport): Outcome => ({
  rows: file.rows.length + file.problems.length,
  created: 0,
  updated: 0,
  unchanged: plan.unchanged.length,
  problems: [...plan.problems],
})

const readError = (error: unknown): unknown =>
  error instanceof FileError && error.hint !== undefined ? new Error(`${error.message}: ${error.hint}`) : error
