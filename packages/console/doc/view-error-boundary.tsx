import { Container } from '@mantine/core'
import { Component, type ReactNode } from 'react'
import { ErrorNotice } from '../src/components/error-notice.tsx'

/** Shows the error of a view that failed, for example because the browser could not load its files. */
export class ViewErrorBoundary extends Component<{ children: ReactNode }, { error?: unknown }> {
  override state: { error?: unknown } = {}

  static getDerivedStateFromError(error: unknown): { error: unknown } {
    return { error }
  }

  override render(): ReactNode {
    if (this.state.error === undefined) return this.props.children
    return (
      <Container size="sm" py="xl">
        <ErrorNotice
          error={this.state.error}
          title="This view could not be shown"
          onRetry={() => window.location.reload()}
        />
      </Container>
    )
  }
}
