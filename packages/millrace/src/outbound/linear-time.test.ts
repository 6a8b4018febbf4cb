import { describe, test } from 'vitest'
import { hidePaths, toProviderErrorTexts, toToolErrorText } from './error-text.ts'
import { findRandomTokens } from './secrets/redact-text.ts'
import { isMarkup, stripMarkup, titleOf, removeMarkup } from './strip-markup.ts'

const hostile: Readonly<Record<string, string>> = {
  'prefixes of keys': 'sk-',
  'one long word': 'a1B2',
  'dots and dashes': '.-',
  'user names': 'ann:',
  passwords: 'ann:pw@',
  'at signs': '@',
  schemes: 'https://',
  parameters: '&key=',
  quotes: '"token":"',
  backslashes: '\\',
  'escaped quotes': '\\"',
  'heads of tokens': 'eyJ',
  'heads of private keys': '-----BEGIN ',
  'open tags': '<a ',
  'open titles': '<title>',
  'open comments': '<!--',
  'open scripts': '<script>',
  entities: '&amp',
  slashes: '/',
  paths: '/srv/a.b',
  brackets: '))))',
  'white space': ' \t',
  frames: '\n  at ',
}

/** At this size, a quadratic algorithm does not finish. */
const SIZE = 524_288

describe('takes linear time', () => {
  test.each(Object.entries(hostile))('%s', (_, piece) => {
    const text = piece.repeat(SIZE / piece.length)
    toToolErrorText(text)
    toProviderErrorTexts(text)
    hidePaths(text)
    findRandomTokens(text)
    if (isMarkup(text)) titleOf(text)
    stripMarkup(text)
    removeMarkup(text)
  })
})
