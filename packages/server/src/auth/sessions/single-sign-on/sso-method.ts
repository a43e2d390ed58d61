/** How events and sessions name single sign-on. */
export const SSO_METHOD = 'single sign-on'
