/** The name of single sign-on in events and sessions. */
export const SSO_METHOD = 'single sign-on'
