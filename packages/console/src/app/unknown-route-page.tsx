import { PageHeader } from '../components/page-header.tsx'
import { RouterButton } from './links.tsx'

export function NotFoundPage() {
  return (
    <>
      <PageHeader title="Page not found">The address may be wrong, or the page no longer exists.</PageHeader>
      <RouterButton to="/devices">Go to the devices</RouterButton>
    </>
  )
}
