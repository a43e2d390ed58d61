import { enableOrDisableCommand } from '../../keys/enable-or-disable.ts'

export const disableCommand = () => enableOrDisableCommand('disable', false)
