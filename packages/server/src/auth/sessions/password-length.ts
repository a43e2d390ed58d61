/** In passwords that are set; those that are there may be shorter. */
export const PASSWORD_LENGTH = { least: 12, most: 128 }
