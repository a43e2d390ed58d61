const [, path, id] = /^(\/accounts\/([\w-]+))(?=\/|$)/.exec(location.pathname) ?? []

/** The account in the tab's address, so that two tabs can show two accounts. Undefined if the server chooses the account. */
export const addressedAccount: string | undefined = id

/** The part of the address before the path of a page. */
export const basePath = path ?? '/'

/** The address of a page of an account. Opening it loads the console again, so no data of another account is left. */
export const addressOf = (accountId: string, page = '/overview'): string => `/accounts/${accountId}${page}`

/** The whole path of a page in the tab's account. */
export const inAccount = (page: string): string => (path === undefined ? page : `${path}${page}`)
