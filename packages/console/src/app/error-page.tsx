import { Button, Container, Stack } from '@mantine/core'
import type { ErrorComponentProps } from '@tanstack/react-router'
import { ErrorNotice } from '../components/error-notice.tsx'
import { PageHeader } from '../components/page-header.tsx'

/** Appears if a page fails, for example because of a bug, or because an upgrade deleted files that this tab uses. */
export function ErrorPage({ error }: ErrorComponentProps) {
  return (
    <Container size="sm" py="xl">
      <PageHeader title="This page could not be shown" />
      <Stack align="flex-start">
        <ErrorNotice error={error} />
        <Button onClick={() => location.reload()}>Reload</Button>
      </Stack>
    </Container>
  )
}
