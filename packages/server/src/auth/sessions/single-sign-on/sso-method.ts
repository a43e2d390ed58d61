export const SSO_METHOD = 'single sign-on'
