export { InputPanel } from './input-panel.tsx'
