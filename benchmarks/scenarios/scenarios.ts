import { consolePage } from './console-page-of-50.ts'
import { login } from './login-query.ts'
import { memory } from './memory.ts'
import { connections, publications } from './mqtt.ts'
import { page, pageInContext } from './page-of-1000-devices.ts'
import type { Scenario } from './scenario.ts'
import { setAttribute, setOnOneDevice, setOnSlowDisk } from './set-attribute.ts'
import { unreadPages } from './unread-pages.ts'

/** The scenarios in the order of the report. Writes are measured after reads, because writes leave dead rows. */
export const scenarios: readonly Scenario[] = [
  page,
  pageInContext,
  consolePage,
  login,
  memory,
  unreadPages,
  setAttribute,
  setOnOneDevice,
  setOnSlowDisk,
  publications,
  connections,
]
