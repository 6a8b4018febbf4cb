import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeEntities } from './decode-entities.ts'

test.each([
  ['&lt;&gt;&amp;&quot;&apos;', '<>&"\''],
  ['&#65;&#x42;&#X43;&#128640;', 'ABC🚀'],
  ['&amp;lt;', '&lt;'],
  ['&nbsp; & &; &#; &#x; &AMP; &lt', '&nbsp; & &; &#; &#x; &AMP; &lt'],
  ['&#0; &#xd800; &#x110000; &#99999999;', '&#0; &#xd800; &#x110000; &#99999999;'],
])('%s', (text, decoded) => {
  expect(decodeEntities(text)).toBe(decoded)
})

test('restores any escaped text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('&', ';', '#', 'x', '4', 'lt', '<', '"') }),
      (text) => {
        const escaped = text
          .replaceAll('&', '&amp;')
          .replaceAll('<', '&#60;')
          .replaceAll('"', '&quot;')
        expect(decodeEntities(escaped)).toBe(text)
      },
    ),
  )
})
