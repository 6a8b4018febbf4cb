import { expect } from 'vitest'
import { encodeEnvelope, createVerifier } from '../../../src/events/index.ts'
import { xmlToEnvelopes } from '../../../src/legacy-xml/convert.ts'
import { readXmlBody } from '../../../../../spec/seed-clients/index.ts'
import { createSection } from '../support/seed-case.ts'
import { askOnce, withHistory } from '../support/seed-server.ts'

const xml = { query: '?format=xml' }
const xmlHistory = { ...withHistory, ...xml }

const text = createSection('000', '`content-block-text`')
text.works('`<` in a text is shown as it is where it begins no tag of the format.', async () => {
  const { body, session } = await askOnce('code', xml)
  const shown = (readXmlBody(body).agents.get(session) ?? []).at(-1)
  expect(shown?.content).toMatch(/^if a < b then <b>bold<\/b>, .* & more$/)
})

const compatibility = createSection('000', 'Parser-accepted compatibility tags')
compatibility.differs(
  'A `chart` or `table` that a model writes reaches the client as an element.',
  'Its `<` is written as `\\u003c`: the client shows the tag as text, since text of a model never becomes structure.',
  async () => {
    const { body, session } = await askOnce('code', xml)
    const shown = (readXmlBody(body).agents.get(session) ?? []).at(-1)
    expect(shown?.content).toContain('\\u003cchart id="1">')
    expect(shown?.embedded).toEqual([])
  },
)

const serverResult = createSection('000', '`content-block-server_tool_result`')
serverResult.works(
  'A body that is plain text is read as a JSON string, which a verifier accepts.',
  () => {
    const call =
      '<content-block-server_tool_call id="s" name="f" arguments="{}"></content-block-server_tool_call>'
    const result =
      '<content-block-server_tool_result id="s" name="f_tool_result"><![CDATA[plain]]></content-block-server_tool_result>'
    const verifier = createVerifier({ needsEnd: false, isResumed: true })
    const envelopes = [...xmlToEnvelopes([call, result], { agent: 'a' })]
    expect(envelopes.flatMap((one) => verifier.push(encodeEnvelope(one)))).toEqual([])
    expect(JSON.parse(envelopes.at(-1)?.delta ?? '')).toBe('plain')
  },
)

const transport = createSection('000', 'Transport and encoding')
transport.works(
  '`meta_final` is not sent after an error, since the run has not completed.',
  async () => {
    expect((await askOnce('fail', xmlHistory)).body).not.toContain('<meta_final')
  },
)
transport.works('`meta_final` is sent once, also for a run with sub-agents.', async () => {
  expect((await askOnce('delegate', xmlHistory)).body.match(/<meta_final /g)).toHaveLength(1)
})

/** Text, results and the summary in seed 000. */
export const xmlTextStatements = [transport, text, serverResult, compatibility].flatMap(
  ({ statements }) => statements,
)
