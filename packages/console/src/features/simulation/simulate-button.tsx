import { Button, type ButtonProps } from '@mantine/core'
import { useDisclosure } from '@mantine/hooks'
import { lazy, Suspense } from 'react'
import type { Subject } from './use-simulation.ts'

const SimulationDialog = lazy(async () => ({ default: (await import('./simulation-dialog.tsx')).SimulationDialog }))

interface SimulateButtonProps extends ButtonProps {
  label: string
  title: string
  subject: Subject
}

export function SimulateButton({ label, title, subject, ...button }: SimulateButtonProps) {
  const [opened, { open, close }] = useDisclosure()
  return (
    <>
      <Button variant="default" {...button} onClick={open}>
        {label}
      </Button>
      {opened ? (
        <Suspense>
          <SimulationDialog title={title} subject={subject} onClose={close} />
        </Suspense>
      ) : null}
    </>
  )
}
