import fc from 'fast-check'

const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const lower = upper.toLowerCase()
const digits = '0123456789'
const letters = upper + lower

/** Texts of a length from some characters. */
function charsOf(alphabet: string, minLength: number, maxLength = minLength): fc.Arbitrary<string> {
  return fc.string({ unit: fc.constantFrom(...alphabet.split('')), minLength, maxLength })
}

const alnum = letters + digits

/** Credentials that can be recognized by their form, at any position. */
export const shapedSecret: fc.Arbitrary<string> = fc.oneof(
  charsOf(`${alnum}_-`, 40, 100).map((rest) => `sk-ant-api03-${rest}`),
  charsOf(`${alnum}_-`, 40, 60).map((rest) => `sk-proj-${rest}`),
  charsOf(alnum, 20, 48).map((rest) => `sk-${rest}`),
  charsOf(upper + digits, 16).map((rest) => `AKIA${rest}`),
  charsOf(alnum, 36).map((rest) => `ghp_${rest}`),
  charsOf(`${alnum}_-`, 35).map((rest) => `AIza${rest}`),
  charsOf(alnum, 34).map((rest) => `hf_${rest}`),
  charsOf(alnum, 20, 24).map((rest) => `org-7${rest}`),
  fc
    .tuple(charsOf(`${alnum}_-`, 20, 60), charsOf(`${alnum}_-`, 20, 900), charsOf(`${alnum}_-`, 43))
    .map(([head, claims, signature]) => `eyJ${head}.eyJ${claims}.${signature}`),
)

/** Credentials that only the words before them reveal. */
export const opaqueSecret: fc.Arbitrary<string> = fc
  .tuple(charsOf(letters, 4, 8), charsOf(digits, 4, 8), charsOf(`${alnum}-._~+/`, 8, 40))
  .map((parts) => parts.join(''))

/** The line breaks of a private key, and the text between them. */
export const privateKeyLines: fc.Arbitrary<readonly string[]> = fc.array(
  charsOf(`${alnum}+/`, 64),
  { minLength: 2, maxLength: 5 },
)

/** Notations of an opaque secret that announce it. */
export const announcements: readonly ((secret: string) => string)[] = [
  (secret) => `Authorization: Bearer ${secret}`,
  (secret) => `{"api_key": "${secret}", "region": "eu"}`,
  (secret) => `{ 'client_secret' : '${secret}' }`,
  (secret) => `export OPENAI_API_KEY=${secret} && run`,
  (secret) => `aws_secret_access_key = ${secret}\nregion = eu`,
  (secret) => `curl --api-key ${secret} https://example.test`,
  (secret) => `const password = "${secret}"`,
]

/** A text of words that are not secrets. */
export const prose: fc.Arbitrary<string> = fc
  .array(
    fc.constantFrom(
      'The',
      'mill',
      'grinds',
      'risk-averse-millers-of-the-valley',
      'input_tokens',
      '"stop_reason":',
      'käse',
      '🌾',
      'toolu_01A09q90qw90lq917835lq9',
      'msg_018nU8ajizC7AoofHJbGncAW',
      'claude-sonnet-4-5-20250929',
      'https://example.test/a/long/path/to/some/page.html',
      '\n',
      '\\',
      '{"a": [1, 2.5e10, true, null]}',
      'max_tokens: 4096',
      'bearer of news',
      'Basic authentication',
      'sk-learn-contrib-tools',
    ),
    { maxLength: 12 },
  )
  .map((words) => words.join(' '))

/** Cuts bytes into chunks, some of one byte. */
export function chunksOf(bytes: Uint8Array): fc.Arbitrary<Uint8Array[]> {
  return fc
    .array(fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 200 })), {
      maxLength: 40,
    })
    .map((sizes) => {
      const chunks: Uint8Array[] = []
      let at = 0
      for (const size of sizes) {
        if (at >= bytes.length) break
        chunks.push(bytes.slice(at, at + size))
        at += size
      }
      if (at < bytes.length) chunks.push(bytes.slice(at))
      return chunks
    })
}
