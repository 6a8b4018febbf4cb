import { memo } from 'react'
import { agentOf } from 'millrace'
import { findFirstFrame } from '../../session/frames/index.ts'
import { useStudio } from '../../session/index.ts'
import { bringPane } from '../../ui/index.ts'
import type { RowKind } from '../rows/index.ts'

/** Names of rows with blocks. */
const names: Readonly<Partial<Record<RowKind, string>>> = {
  text: 'text',
  thinking: 'thought',
  card: 'call',
  message: 'message',
  error: 'error',
}

interface ShowInWireProps {
  readonly agent: string
  readonly kind: RowKind
  /** Position of the row's first block. */
  readonly position: number
}

/** Links a block to its first frame; visible on hover and on focus. */
export const ShowInWire = memo(function ShowInWire({ agent, kind, position }: ShowInWireProps) {
  const { session, frames, moments, jumps } = useStudio()
  const name = names[kind]
  if (name === undefined) return null
  const go = async () => {
    const block = agentOf(session.getSnapshot().transcript, agent)?.blocks.at(position)
    if (!block) return
    const { total } = frames.getSnapshot()
    const index = findFirstFrame(moments, total, { agent, position }, block.key)
    await bringPane('wire')
    jumps.wire.send(index)
  }
  return (
    <button
      type="button"
      className="show-in-wire"
      title="Show in wire"
      aria-label={`Show this ${name} in the wire`}
      onClick={() => void go()}
    />
  )
})
