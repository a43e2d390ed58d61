import { Button, Container, Stack } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorNotice } from '../components/error-notice.tsx'
import { PageHeader } from '../components/page-header.tsx'

/** A page that could not be shown: a fault of ours, or a new release whose files are not those of this tab. */
export function FaultPage({ error }: ErrorComponentProps) {
  return (
    <Container size="sm" py="xl">
      <PageHeader title="This page could not be shown" />
      <Stack align="flex-start">
        <ErrorNotice error={error} />
        <Button onClick={() => location.reload()}>Load again</Button>
      </Stack>
    </Container>
  )
}
