/** The form of keys that clients choose. [CMD-2] */
export const messageIdPattern = /^[\x21-\x7e]{1,200}$/

/** The rule for keys, as an error text. */
export const messageIdRule = 'must be 1 to 200 visible ASCII characters, without spaces'
