import type { ScriptedBlock, ScriptedReply } from '../../replies/scripted-reply.ts'
import { createDemo } from '../tools/demo-command.ts'

/** A turn that the provider pauses with `pause_turn` and that a second request continues. */
export const demoPauseTurn = createDemo('pause-turn', {
  summary: 'A turn so long that the provider pauses it, and the agent continues it',
  reply: ({ step }) => (step === 0 ? begin() : nextReply()),
})

function search(query: string): ScriptedBlock {
  return { type: 'server_tool_use', name: 'web_search', input: { query } }
}

function found(title: string, page: string): ScriptedBlock {
  const url = `https://example.com/${page}`
  const result = { url, title, encrypted_content: `RW11TC0${page}`, page_age: null }
  return {
    type: 'web_search_tool_result',
    content: [{ type: 'web_search_result', ...result }],
    waitMs: 900,
  }
}

function begin(): ScriptedReply {
  const text =
    'This takes several searches, and the provider limits the time of one request. I begin.'
  return {
    blocks: [
      { type: 'text', text },
      search('mills on the Lower Brook before 1800'),
      found('Mills before 1800 – example.com', 'before-1800'),
      search('mills on the Lower Brook after 1800'),
    ],
    stopReason: 'pause_turn',
  }
}

function nextReply(): ScriptedReply {
  return {
    blocks: [found('Mills after 1800 – example.com', 'after-1800'), { type: 'text', text: answer }],
  }
}

const answer = [
  'Seven mills before 1800, and eleven after, until the railway came.',
  '',
  'You may not have noticed, but between the second search and its result my turn was **paused**: the provider ended its message there, and the agent sent it back unchanged, without your action. The missing result was the first content to arrive.',
].join('\n')
