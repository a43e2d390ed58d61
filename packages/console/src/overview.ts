import { overviewSearch } from './features/overview/overview-search.ts'
import { requestOverviewInAdvance } from './features/overview/request-overview.ts'
import { firstClient } from './graphql/client.ts'

// Only overview.html loads this script. It needs only a small part of the code, so it runs long before main.tsx.
requestOverviewInAdvance(firstClient, overviewSearch(Object.fromEntries(new URLSearchParams(window.location.search))))
