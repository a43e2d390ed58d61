const [, path, id] = /^(\/accounts\/([\w-]+))(?=\/|$)/.exec(location.pathname) ?? []

/**
 * ID of the account in the tab's address. The address contains the ID so that two tabs can show different accounts.
 * Undefined if the address contains no ID, in which case the server chooses the account.
 */
export const addressedAccount: string | undefined = id

export const basePath = path ?? '/'

/** Returns a page's path in an account. Opening the path reloads the console, so no data of another account remains. */
export const addressOf = (accountId: string, page = '/overview'): string => `/accounts/${accountId}${page}`

export const inAccount = (page: string): string => (path === undefined ? page : `${path}${page}`)
