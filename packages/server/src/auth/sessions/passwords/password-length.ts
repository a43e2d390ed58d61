/** The length of new passwords. Existing ones may be shorter. */
export const PASSWORD_LENGTH = { min: 12, max: 128 }
