import { useState } from 'react'
import { type CombinedError, useQuery } from 'urql'
import { useLastValue } from '../../hooks/use-last-value.ts'
import { useViewer } from '../user-settings/viewer.ts'
import { SimulateAccessDocument, type SimulateAccessQuery } from './simulation.generated.ts'

export type Subject = { key: string } | { roleId: string }

export interface Question {
  deviceId: string
  attribute: string
  document: string
  address: string
}

export const noQuestion: Question = { deviceId: '', attribute: '', document: '', address: '' }

type Login = NonNullable<SimulateAccessQuery['login']>
export type Simulation = Login['simulate']

export interface Simulated {
  simulation: Simulation
  /** Undefined if the question contains no document. */
  needs: Login['needs']
}

interface UseSimulation {
  /** Undefined until loaded. */
  simulated: Simulated | undefined
  error: CombinedError | undefined
  isLoading: boolean
  /** The latest question. `simulated` contains its result, unless the result is loading or the simulation failed. */
  asked: Question
  ask(question: Question): void
}

export function useSimulation(subject: Subject): UseSimulation {
  const { may } = useViewer()
  const [asked, setAsked] = useState(noQuestion)
  const { deviceId, attribute, document, address } = asked
  const [{ data, error, fetching }, refetch] = useQuery({
    query: SimulateAccessDocument,
    variables: {
      ...subject,
      deviceId: deviceId || null,
      attribute: attribute || null,
      document: document || null,
      address: address || null,
      needed: document,
      hasDocument: document !== '',
      canReadDevices: may('DEVICE_READ'),
    },
    requestPolicy: 'network-only',
  })
  const login = useLastValue(data?.login ?? undefined)
  return {
    simulated: login && { simulation: login.simulate, needs: login.needs },
    error,
    isLoading: fetching,
    asked,
    ask(question) {
      if (JSON.stringify(question) === JSON.stringify(asked)) refetch({ requestPolicy: 'network-only' })
      else setAsked(question)
    },
  }
}
