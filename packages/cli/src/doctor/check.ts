/** The result of a check. `hint` explains how to fix a problem. */
export interface Finding {
  check: string
  result: 'ok' | 'warning' | 'failed'
  message: string
  hint?: string
}

export const ok = (check: string, message: string): Finding => ({ check, result: 'ok', message })

const problem =
  (result: 'warning' | 'failed') =>
  (check: string, message: string, hint: string): Finding => ({ check, result, message, hint })

export const warning = problem('warning')
export const failed = problem('failed')
