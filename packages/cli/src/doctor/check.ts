/** The result of a check. `hint` explains how to fix a problem. */
export interface Finding {
  check: string
  result: 'ok' | 'warning' | 'failed'
  message: string
  hint?: string
}

export const ok = (check: string, message: string): Finding => ({ check, result: 'ok', message })
export const warning = (check: string, message: string, hint: string): Finding => ({
  check,
  result: 'warning',
  message,
  hint,
})
export const failed = (check: string, message: string, hint: string): Finding => ({
  check,
  result: 'failed',
  message,
  hint,
})
