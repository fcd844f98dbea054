// A decision as one plain sentence.
#include <fmt/format.h>

#include <cmath>

#include "paco/method.hpp"

namespace paco {
namespace {

// "; next came 'cat' (0.41)", or nothing where there was no other candidate.
std::string next_best(const Decision& d, const Model& model) {
  if (d.runner_up == d.category || std::isnan(d.runner_up_score)) return "";
  return fmt::format("; next came '{}'", category_name(d.runner_up, model));
}

// The birth score as a cosine, which people can picture.
double as_cosine(double birth_score, const Model& model) {
  return model.options.temperature * (birth_score + model.log_p0);
}

}  // namespace

std::string explain(const Decision& d, const Model& model) {
  const std::string name = category_name(d.category, model);
  const std::string intro = fmt::format("Sample {} ", d.sequence);
  switch (d.branch) {
    case Branch::known_only:
      return intro + fmt::format(
                         "is known class '{}': its best known class leads the second by {:.4f}, at "
                         "least the {:.4f} from "
                         "which only known classes compete{}.",
                         name, d.score, d.threshold, next_best(d, model));
    case Branch::explained:
      if (d.route == Route::known_only) {
        return intro + fmt::format(
                           "goes to known class '{}', the closest, with cosine {:.4f}: "
                           "this method never discovers{}.",
                           name, as_cosine(d.score, model), next_best(d, model));
      }
      return intro +
             fmt::format(
                 "belongs to {} '{}': its closest prototype has cosine {:.4f}, at least the {:.4f} "
                 "needed to be explained by what is already there{}.",
                 d.verdict == Verdict::known ? "known class" : "the earlier", name,
                 as_cosine(d.score, model), as_cosine(d.threshold, model), next_best(d, model));
    case Branch::attach:
      return intro +
             fmt::format(
                 "joins the earlier '{}': no prototype explains it directly, but its attach score "
                 "{:.4f} reaches the {:.4f} that members of a category reach{}.",
                 name, d.score, d.threshold, next_best(d, model));
    case Branch::create:
      break;
  }
  if (!std::isnan(d.attach_score)) {
    return intro +
           fmt::format(
               "starts '{}': its best attach score {:.4f} (with '{}') stays below the {:.4f} that "
               "members of a category reach.",
               name, d.score, category_name(d.runner_up, model), d.threshold);
  }
  if (d.runner_up == d.category)
    return intro + fmt::format("starts '{}': there was nothing to compare it with.", name);
  if (std::isnan(d.birth_score)) {
    return intro + fmt::format(
                       "starts '{}': its closest known class '{}' has cosine {:.4f}, below the "
                       "{:.4f} from which "
                       "known classes compete, and there was no category yet.",
                       name, category_name(d.runner_up, model), d.score, d.threshold);
  }
  return intro + fmt::format(
                     "starts '{}': its closest prototype '{}' has cosine {:.4f}, below the {:.4f} "
                     "needed to be "
                     "explained by what is already there.",
                     name, category_name(d.runner_up, model), as_cosine(d.score, model),
                     as_cosine(d.threshold, model));
}

}  // namespace paco
