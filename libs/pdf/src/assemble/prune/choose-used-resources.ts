import type { PDFDocument } from 'pdf-lib';
import type { ChooseResources } from '../assembly.js';
import type { ObjectCopier } from '../object-copier.js';
import { oncePer } from '../once-per.js';
import type { Survey } from './survey.js';
import { Surveyor } from './surveyor.js';

const surveyorOf = oncePer((document: PDFDocument) => new Surveyor(document.context));

/** The resources that a page uses; all of them if its whole document is taken, or if it cannot be told. */
export const chooseUsedResources: ChooseResources = ({ source, copier, isWhole }, { from }) => {
  if (isWhole) return undefined;
  const survey = surveyorOf(source.document).surveyPage(from);
  if (survey === null) return undefined;
  substituteParts(survey, copier);
  return survey.pruned ?? undefined;
};

/** Has what the page draws with copied without what it does not use itself. */
function substituteParts(page: Survey, copier: ObjectCopier): void {
  const met = new Set([page]);
  for (const survey of met) {
    for (const part of survey.parts) {
      if (part.substitute !== null) copier.substitute(part.ref, part.substitute);
      met.add(part.survey);
    }
  }
}
