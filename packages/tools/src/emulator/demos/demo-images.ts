import type { Turn } from '../replies/scenario.ts'
import type { ScriptedReply } from '../replies/scripted-reply.ts'
import { call, createDemo, say } from './tools/demo-command.ts'

/** A tool whose result is an image. */
export const demoImages = createDemo('images', {
  summary: 'A tool that answers with a picture: a chart of the day’s temperatures',
  tools: ['draw_chart'],
  read: (rest) => ({ city: rest === '' ? 'Lisbon' : rest.slice(0, 80) }),
  reply: (turn) => (turn.step === 0 ? draw(turn) : look(turn)),
})

function draw({ args }: Turn): ScriptedReply {
  const city = String(args['city'])
  const text = `A day in ${city} is better seen than read. Let me have the temperatures drawn.`
  return { blocks: [{ type: 'text', text }, call('draw_chart', { city })] }
}

function look({ results }: Turn): ScriptedReply {
  const [outcome] = results
  if (outcome === undefined || outcome.isError || outcome.images === 0) {
    return say('No picture came back.', ...(outcome === undefined ? [] : ['', `> ${outcome.text}`]))
  }
  return say(
    `That is the picture. In words: ${outcome.text}`,
    '',
    'The stream does not carry the picture: one short message of it says where it is, and your page fetches it from there. I was given the picture itself, as bytes in the tool’s result.',
  )
}
