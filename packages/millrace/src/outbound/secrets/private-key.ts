/** Recognises the lines of a private key among the words of a text. */
export interface PrivateKeyReader {
  /** Reads the next word. Returns true if it is part of a key. */
  take(word: string): boolean
}

/** Maximum number of words between `-----BEGIN` and `KEY-----`, such as `RSA` and `ENCRYPTED`. */
const maxTitleWords = 4

/** Maximum number of other words in a key, such as `Proc-Type`. More of them mean that the text is prose. */
const maxOtherWords = 32

/** Minimum length of the first line of a key. A shorter word is prose. */
const minLineChars = 16

/** Creates a reader of private keys between `-----BEGIN … PRIVATE KEY-----` and `-----END`. */
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
