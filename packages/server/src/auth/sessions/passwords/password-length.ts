/** The length of new passwords. Existing ones may be shorter. */
export const PASSWORD_LENGTH = { least: 12, most: 128 }
