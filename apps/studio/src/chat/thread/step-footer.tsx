import type { StepMark } from 'millrace'
import { readNumber } from '../../json/read-field.ts'
import { toFigures } from './usage-figures.ts'

/** What one model call of a run took; the last one's is part of the run's own footer. */
export function StepFooter({ step }: { readonly step: StepMark | undefined }) {
  const number = readNumber(step?.info, 'step')
  const facts = [number === undefined ? 'A step' : `Step ${number}`, ...toFigures(step?.info)]
  return <p className="step-footer">{facts.join(' · ')}</p>
}
