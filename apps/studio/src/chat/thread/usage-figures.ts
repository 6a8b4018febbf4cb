import { readField, readNumber } from '../../json/index.ts'
import { toCount, toDollars } from '../../text/index.ts'

/** Describes tokens and cost; `isLeast` if they may be higher. */
export function toFigures(info: unknown, isLeast = false): readonly string[] {
  const usage = readField(info, 'usage')
  const input = readNumber(usage, 'input_tokens')
  const output = readNumber(usage, 'output_tokens')
  const cached = readNumber(usage, 'cache_read_input_tokens') ?? 0
  const cost = readNumber(readField(info, 'cost'), 'total_cost')
  const least = isLeast ? 'at least ' : ''
  const hasTokens = input !== undefined && output !== undefined
  return [
    ...(hasTokens ? [`${least}${toCount(input)} tokens in, ${toCount(output)} out`] : []),
    ...(cached > 0 ? [`${toCount(cached)} from the cache`] : []),
    ...(cost === undefined ? [] : [`${least}${toDollars(cost)}`]),
  ]
}
