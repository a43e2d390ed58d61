import { consolePage } from './console-page.ts'
import { login } from './login.ts'
import { memory } from './memory.ts'
import { page, pageInContext } from './page.ts'
import type { Scenario } from './scenario.ts'
import { setAttribute, setOnOneDevice, setOnSlowDisk } from './set-attribute.ts'

/** In the order of the report. Those that write come after those that read: they leave dead rows. */
export const scenarios: readonly Scenario[] = [
  page,
  pageInContext,
  consolePage,
  login,
  memory,
  setAttribute,
  setOnOneDevice,
  setOnSlowDisk,
]
