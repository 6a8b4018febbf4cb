/** Follows words through a text and says which of them are lines of a private key. */
export interface PrivateKeyReader {
  /** Takes the next word; gives whether it is a part of a key. */
  take(word: string): boolean
}

/** Words between `-----BEGIN` and `KEY-----`, such as `RSA` and `ENCRYPTED`. */
const maxTitleWords = 4

/** Words of other kinds in a key, such as `Proc-Type`, before it counts as talk about keys. */
const maxOtherWords = 32

/** What is shorter and comes first is a word. */
const minLineChars = 16

/** Creates a reader of keys between `-----BEGIN … PRIVATE KEY-----` and `-----END`. */
export function createPrivateKeyReader(): PrivateKeyReader {
  let titleLeft = 0
  let isPrivate = false
  let bodyLeft = 0
  let isInside = false

  function readTitle(word: string): void {
    titleLeft--
    if (word === 'PRIVATE') isPrivate = true
    if (!word.startsWith('KEY-----')) return
    titleLeft = 0
    bodyLeft = isPrivate ? maxOtherWords : 0
    isInside = false
  }

  function readBody(word: string): boolean {
    if (word.startsWith('-----END')) {
      bodyLeft = 0
      return false
    }
    const isLine = /^[A-Za-z0-9+/]+$/.test(word) && (isInside || word.length >= minLineChars)
    isInside = isLine
    if (!isLine) bodyLeft--
    return isLine
  }

  return {
    take(word) {
      if (word.endsWith('-----BEGIN')) {
        titleLeft = maxTitleWords
        isPrivate = false
        return false
      }
      if (titleLeft > 0) readTitle(word)
      else if (bodyLeft > 0) return readBody(word)
      return false
    },
  }
}
