// A promise on known classes: with 90 % confidence at most a share of their samples, the rate, is
// called new, that is answered with something else than a known class.
//
// How it is kept: calibration scores samples that took no part in making the references (held out
// by cross-validation, or kept apart by the user) by their best cosine with a known class. A stream
// sample whose own best cosine is not among the lowest of those, up to the rate, is answered with
// that known class, whatever the method says. docs/how-to/false-new.md has the exact statement.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "paco/model.hpp"

namespace paco {

struct FalseNew {
  // With so much confidence, over the draw of the held-out samples, the rate is kept.
  static constexpr double kConfidence = 0.9;
  // As many held-out samples as it takes to promise a rate.
  static std::uint64_t samples_needed(double rate);

  double rate = 0;            // promised, a fraction
  double gate = 0;            // best known cosine from which a sample stays with a known class
  std::uint64_t samples = 0;  // held-out ones
  std::uint64_t below = 0;    // of them that the gate would let pass, and one
  bool kept_apart = false;    // they were kept apart; else cross-validated
  // mirror's own way, which keeps more discoveries: known cosines get a bonus that follows the
  // stream. Then `gate` is the cosine from which a sample gets it, and half of the rate lies below.
  bool live = false;

  // The realised rate has the distribution Beta(below, samples + 1 - below) over the draw of the
  // held-out samples. expected() is its mean; bound() is the value that it stays below with this
  // confidence.
  double expected() const;
  double bound(double confidence) const;

  // The cost of the guarantee, measured on streams made from the support set with half of the
  // classes hidden: shares with the guarantee and without it. `pseudo_streams` is 0 if there are
  // too few samples for that.
  struct Outcome {
    double strict_all = 0;
    double called_new = 0;  // of the samples of visible classes
  };
  std::uint64_t pseudo_streams = 0;
  Outcome with, without;
};

// The guarantee that a model gives for a method; an empty name means the method that the model was
// made for. Returns nothing if the model has no guarantee.
std::optional<FalseNew> false_new_of(const Model& model, std::string_view method = {});

}  // namespace paco
