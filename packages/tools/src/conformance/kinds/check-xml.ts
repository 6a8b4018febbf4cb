import { xmlToEnvelopes } from 'millrace/legacy-xml'
import { checkFormatted } from './check-formatted.ts'
import { difference, differences } from '../differences.ts'
import type { Expectations } from '../expectations.ts'
import { foldBlocks } from '../feedings/fold-blocks.ts'
import { isSameJson } from '../same-json.ts'

const expectations: Expectations<readonly string[]> = {
  data: (wanted, found) => compareData(wanted as readonly string[], found),
  no_raw_cr_or_lf: (_, found) =>
    found
      .filter((data) => /[\r\n]/.test(data))
      .map((data) => difference('no_raw_cr_or_lf', 'no CR or LF', data)),
  decodes_to: (wanted, found) =>
    differences(wanted, foldBlocks(xmlToEnvelopes(found)), 'decodes_to'),
}

/** Checks the legacy XML of provider events. */
export const checkXml = checkFormatted({ expectations })

function compareData(wanted: readonly string[], found: readonly string[]): string[] {
  if (wanted.length !== found.length) return [difference('data', wanted, found)]
  return wanted.flatMap((message, index) => {
    const other = found[index] ?? ''
    return isSameMessage(message, other) ? [] : [difference(`data[${index}]`, message, other)]
  })
}

/** Matches envelopes that contain JSON, in three parts: the text before it, the JSON as written, the text after it. */
const withJson =
  /^(<content-block-(?:server_)?tool_(?:call|result) .*?(?:arguments="|<!\[CDATA\[))(.*)("><\/[\w-]+>|\]\]><\/[\w-]+>)$/

/**
 * Compares bytes, except for white space in JSON: the old encoder encoded arguments again, ours are the model's own.
 * [XML-18]
 */
function isSameMessage(wanted: string, found: string): boolean {
  if (wanted === found) return true
  const [, before, , after] = withJson.exec(wanted) ?? []
  const [, foundBefore, , foundAfter] = withJson.exec(found) ?? []
  if (before === undefined || before !== foundBefore || after !== foundAfter) return false
  return isSameJson(jsonOf(wanted), jsonOf(found))
}

function jsonOf(message: string): unknown {
  const [envelope] = xmlToEnvelopes([message])
  return JSON.parse(envelope?.delta ?? '')
}
