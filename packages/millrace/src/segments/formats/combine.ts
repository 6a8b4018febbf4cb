import type { Format, FormatBlock } from '../format.ts'

/** Creates a format with the blocks of its parts, in order. */
export function combine(name: string, ...parts: readonly (Format | FormatBlock)[]): Format {
  return { name, blocks: parts.flatMap((part) => ('blocks' in part ? part.blocks : [part])) }
}

/** Creates the blocks of calls between markers; a call counts outside of them too. */
export function inSection(
  call: FormatBlock,
  opener: Pick<FormatBlock, 'open' | 'control'>,
  close: string,
): readonly FormatBlock[] {
  const body = { wrapper: { close: [close], blocks: [call] } }
  return [{ ...opener, orphans: [close], body }, call]
}
