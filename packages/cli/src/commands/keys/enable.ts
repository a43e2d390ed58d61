import { enableOrDisableCommand } from '../../keys/enable-or-disable.ts'

export const enableCommand = () => enableOrDisableCommand('enable', true)
